/** Params and results of methods: imports. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { Import } from './nouns.js'

export interface ImportsMethods {
  /** Cancel an import. */
  'imports.cancel': { params: { readonly id: string }; result: { import: Import } }
  /** Upload a file to import. */
  'imports.create': {
    params: { readonly parentId?: string | null | undefined; readonly zone?: string | null | undefined }
    result: { import: Import }
  }
  /** Undo an import. */
  'imports.delete': { params: { readonly id: string }; result: { import: Import } }
  /** Get the progress of an import and the contents of its file. */
  'imports.getOne': { params: { readonly id: string }; result: { import: Import } }
  /** List imports. */
  'imports.get': { params: Record<string, never>; result: { imports: Import[] } }
  /** Analyse an imported file again. */
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
      readonly lanes?:
        | {
            readonly [key: string]: {
              readonly measure?: string | null | undefined
              readonly streamId?: string | undefined
              readonly isLeftOut?: true | undefined
            } | null
          }
        | null
        | undefined
    }
    result: { import: Import }
  }
  /** Run an import. */
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
      readonly lanes?:
        | {
            readonly [key: string]: {
              readonly measure?: string | null | undefined
              readonly streamId?: string | undefined
              readonly isLeftOut?: true | undefined
            } | null
          }
        | null
        | undefined
    }
    result: { import: Import }
  }
}
