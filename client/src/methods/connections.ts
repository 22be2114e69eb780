/** Params and results of methods: connections. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { ItemDeletion } from './nouns.js'

export interface ConnectionsMethods {
  /** Connect an app or a device that sends data on its own. */
  'connections.create': {
    params: {
      readonly dialect: string
      readonly name: string
      readonly parentId?: string | null | undefined
      readonly level?: ('read' | 'contribute' | 'create-only') | null | undefined
      readonly sensitive?: boolean | null | undefined
      readonly passphrase?: string | null | undefined
      readonly mapping?:
        | (
            | {
                readonly items?: string | undefined
                readonly value: string
                readonly fields?: { readonly [key: string]: string } | undefined
                readonly time?: string | undefined
                readonly end?: string | undefined
                readonly duration?: string | undefined
                readonly zone?: string | undefined
                readonly type: string
                readonly measure?: string | undefined
                readonly stream?: string | undefined
                readonly unit?: string | undefined
                readonly source?: string | undefined
                readonly description?: string | undefined
              }
            | readonly {
                readonly items?: string | undefined
                readonly value: string
                readonly fields?: { readonly [key: string]: string } | undefined
                readonly time?: string | undefined
                readonly end?: string | undefined
                readonly duration?: string | undefined
                readonly zone?: string | undefined
                readonly type: string
                readonly measure?: string | undefined
                readonly stream?: string | undefined
                readonly unit?: string | undefined
                readonly source?: string | undefined
                readonly description?: string | undefined
              }[]
          )
        | null
        | undefined
      readonly friends?: readonly string[] | null | undefined
    }
    result: {
      connection: {
        id: string
        dialect: string
        name: string
        accessId: string
        parentId: string | null
        streamId: string
        sensitive: boolean
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
        url: string
        hasPassphrase: boolean
        friends?: string[]
        mapping?: unknown
        lastHeard: number | null
        received: number
        notUnderstood: { [key: string]: number }
        waiting: { time: number; body: unknown }[]
        lastProblem: { time: number; id?: string; message: string } | null
        token: string
        link?: string
      }
    }
  }
  /** List connections. */
  'connections.get': {
    params: Record<string, never>
    result: {
      connections: {
        id: string
        dialect: string
        name: string
        accessId: string
        parentId: string | null
        streamId: string
        sensitive: boolean
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
        url: string
        hasPassphrase: boolean
        friends?: string[]
        mapping?: unknown
        lastHeard: number | null
        received: number
        notUnderstood: { [key: string]: number }
        waiting: { time: number; body: unknown }[]
        lastProblem: { time: number; id?: string; message: string } | null
      }[]
      dialects: { id: string; name: string }[]
    }
  }
  /** Get a connection. */
  'connections.getOne': {
    params: { readonly id: string }
    result: {
      connection: {
        id: string
        dialect: string
        name: string
        accessId: string
        parentId: string | null
        streamId: string
        sensitive: boolean
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
        url: string
        hasPassphrase: boolean
        friends?: string[]
        mapping?: unknown
        lastHeard: number | null
        received: number
        notUnderstood: { [key: string]: number }
        waiting: { time: number; body: unknown }[]
        lastProblem: { time: number; id?: string; message: string } | null
      }
    }
  }
  /** Update a connection. */
  'connections.update': {
    params: {
      readonly id: string
      readonly update: {
        readonly name?: string | undefined
        readonly sensitive?: boolean | null | undefined
        readonly passphrase?: string | null | undefined
        readonly mapping?:
          | (
              | {
                  readonly items?: string | undefined
                  readonly value: string
                  readonly fields?: { readonly [key: string]: string } | undefined
                  readonly time?: string | undefined
                  readonly end?: string | undefined
                  readonly duration?: string | undefined
                  readonly zone?: string | undefined
                  readonly type: string
                  readonly measure?: string | undefined
                  readonly stream?: string | undefined
                  readonly unit?: string | undefined
                  readonly source?: string | undefined
                  readonly description?: string | undefined
                }
              | readonly {
                  readonly items?: string | undefined
                  readonly value: string
                  readonly fields?: { readonly [key: string]: string } | undefined
                  readonly time?: string | undefined
                  readonly end?: string | undefined
                  readonly duration?: string | undefined
                  readonly zone?: string | undefined
                  readonly type: string
                  readonly measure?: string | undefined
                  readonly stream?: string | undefined
                  readonly unit?: string | undefined
                  readonly source?: string | undefined
                  readonly description?: string | undefined
                }[]
            )
          | null
          | undefined
        readonly friends?: readonly string[] | null | undefined
      }
    }
    result: {
      connection: {
        id: string
        dialect: string
        name: string
        accessId: string
        parentId: string | null
        streamId: string
        sensitive: boolean
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
        url: string
        hasPassphrase: boolean
        friends?: string[]
        mapping?: unknown
        lastHeard: number | null
        received: number
        notUnderstood: { [key: string]: number }
        waiting: { time: number; body: unknown }[]
        lastProblem: { time: number; id?: string; message: string } | null
      }
    }
  }
  /** Preview a mapping. */
  'connections.preview': {
    params: {
      readonly id: string
      readonly mapping:
        | {
            readonly items?: string | undefined
            readonly value: string
            readonly fields?: { readonly [key: string]: string } | undefined
            readonly time?: string | undefined
            readonly end?: string | undefined
            readonly duration?: string | undefined
            readonly zone?: string | undefined
            readonly type: string
            readonly measure?: string | undefined
            readonly stream?: string | undefined
            readonly unit?: string | undefined
            readonly source?: string | undefined
            readonly description?: string | undefined
          }
        | readonly {
            readonly items?: string | undefined
            readonly value: string
            readonly fields?: { readonly [key: string]: string } | undefined
            readonly time?: string | undefined
            readonly end?: string | undefined
            readonly duration?: string | undefined
            readonly zone?: string | undefined
            readonly type: string
            readonly measure?: string | undefined
            readonly stream?: string | undefined
            readonly unit?: string | undefined
            readonly source?: string | undefined
            readonly description?: string | undefined
          }[]
    }
    result: {
      values: {
        time: number
        duration?: number
        type: string
        stream: string
        source: string
        measure?: string
        content?: unknown
        description?: string
      }[]
      notUnderstood: { [key: string]: number }
    }
  }
  /** End a connection. */
  'connections.delete': { params: { readonly id: string }; result: { connectionDeletion: ItemDeletion } }
  /** Find the account of a connection. */
  'connections.findAccount': { params: { readonly token: string }; result: { username: string } }
  /** Open a connection. */
  'connections.open': {
    params: { readonly dialect: string }
    result: {
      connection: {
        id: string
        dialect: string
        name: string
        accessId: string
        parentId: string | null
        streamId: string
        sensitive: boolean
        passphrase?: string
        mapping?:
          | {
              items?: string
              value: string
              fields?: { [key: string]: string }
              time?: string
              end?: string
              duration?: string
              zone?: string
              type: string
              measure?: string
              stream?: string
              unit?: string
              source?: string
              description?: string
            }
          | {
              items?: string
              value: string
              fields?: { [key: string]: string }
              time?: string
              end?: string
              duration?: string
              zone?: string
              type: string
              measure?: string
              stream?: string
              unit?: string
              source?: string
              description?: string
            }[]
        friends?: { username: string; token: string }[]
        secretKey?: string
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
      }
      level?: 'none' | 'read' | 'create-only' | 'contribute' | 'manage'
    }
  }
  /** Receive data of a connection. */
  'connections.receive': {
    params: {
      readonly dialect: string
      readonly records: readonly unknown[]
      readonly removals?: readonly unknown[] | undefined
      readonly unmapped?: readonly unknown[] | undefined
      readonly received: number
      readonly notUnderstood: { readonly [key: string]: number }
      readonly fileKeys: readonly string[]
    }
    result: { refused: { [key: string]: number } }
  }
  /** Record a problem of a connection. */
  'connections.noteProblem': {
    params: { readonly dialect: string; readonly error: string; readonly message: string }
    result: { [key: string]: unknown }
  }
}
