/** Params and results of methods: imports. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { Import } from './nouns.js'

export interface ImportsMethods {
  /** Stop an import. */
  'imports.cancel': { params: { readonly id: string }; result: { import: Import } }
  /** Take in a file with data from elsewhere. */
  'imports.create': {
    params: { readonly parentId?: string | null | undefined; readonly zone?: string | null | undefined }
    result: { import: Import }
  }
  /** Take out what was imported. */
  'imports.delete': { params: { readonly id: string }; result: { import: Import } }
  /** See how far an import is, and what is in its file. */
  'imports.getOne': { params: { readonly id: string }; result: { import: Import } }
  /** List what was imported. */
  'imports.get': { params: Record<string, never>; result: { imports: Import[] } }
  /** Look at an imported file again. */
  'imports.look': {
    params: {
      readonly id: string
      readonly parentId?: string | null | undefined
      readonly zone?: string | null | undefined
      readonly mappings?:
        | {
            readonly [key: string]: {
              readonly time: number
              readonly clock?: number | undefined
              readonly end?: number | undefined
              readonly endFactor?: number | undefined
              readonly source?: number | undefined
              readonly description?: number | undefined
              readonly zone?: string | undefined
              readonly zoneColumn?: number | undefined
              readonly dates?: 'dmy' | 'mdy' | 'ymd' | undefined
              readonly decimals?: 'comma' | 'point' | undefined
              readonly values: readonly {
                readonly column: number
                readonly type: string
                readonly stream: string
                readonly field?: string | undefined
                readonly factor?: number | undefined
                readonly skipsZero?: boolean | undefined
                readonly codes?:
                  | { readonly [key: string]: number | boolean | string | { readonly [key: string]: string } }
                  | undefined
              }[]
            }
          }
        | null
        | undefined
    }
    result: { import: Import }
  }
  /** Write what is in an imported file. */
  'imports.run': {
    params: {
      readonly id: string
      readonly parentId?: string | null | undefined
      readonly zone?: string | null | undefined
      readonly mappings?:
        | {
            readonly [key: string]: {
              readonly time: number
              readonly clock?: number | undefined
              readonly end?: number | undefined
              readonly endFactor?: number | undefined
              readonly source?: number | undefined
              readonly description?: number | undefined
              readonly zone?: string | undefined
              readonly zoneColumn?: number | undefined
              readonly dates?: 'dmy' | 'mdy' | 'ymd' | undefined
              readonly decimals?: 'comma' | 'point' | undefined
              readonly values: readonly {
                readonly column: number
                readonly type: string
                readonly stream: string
                readonly field?: string | undefined
                readonly factor?: number | undefined
                readonly skipsZero?: boolean | undefined
                readonly codes?:
                  | { readonly [key: string]: number | boolean | string | { readonly [key: string]: string } }
                  | undefined
              }[]
            }
          }
        | null
        | undefined
    }
    result: { import: Import }
  }
}
