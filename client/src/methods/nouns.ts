/** The things that methods are about. Times are in seconds, sizes in bytes. */

// Generated from the definitions of the methods: do not edit. `npm run document` writes it.

import type { StreamsQuery } from '../streams-query.js'

export type Access = {
  id: string
  token: string
  type: 'personal' | 'app' | 'shared'
  name: string
  deviceName?: string
  permissions?: Permission[]
  endedPermissions?: {
    streamId: string
    level: 'none' | 'read' | 'create-only' | 'contribute' | 'manage'
    since: number
    until: number
  }[]
  lastUsed?: number
  expires?: number
  alias?: string
  clientData?: { [key: string]: unknown }
  deleted?: number
  integrity?: string
  created: number
  createdBy: string
  modified: number
  modifiedBy: string
}

export type Attachment = {
  id: string
  fileName: string
  type: string
  size: number
  readToken?: string
  integrity?: string
}

export type BreachScope = {
  since: number | null
  until: number | null
  recordedSince: number | null
  calls: number
  refused: number
  first: number | null
  last: number | null
  recordCount: number
  isIncomplete: boolean
  methods: {
    method: string
    calls: number
    first: number
    last: number
    refused: number
    recordCount: number
  }[]
  streams: {
    id: string
    name: string | null
    kinds: string[]
    calls: number
    first: number
    last: number
    recordCount: number
    fromTime: number | null
    toTime: number | null
    addresses: string[]
  }[]
  addresses: { ip: string; calls: number; first: number; last: number; refused: number }[]
  shares: { id: string; name: string; deleted?: number }[]
}

export type Event = {
  id: string
  streamIds: string[]
  streamId: string
  time: number
  duration?: number | null
  type: string
  content?: unknown
  tags?: string[]
  description?: string
  attachments?: Attachment[]
  clientData?: { [key: string]: unknown }
  trashed?: boolean
  integrity?: string
  created: number
  createdBy: string
  modified: number
  modifiedBy: string
}

export type Import = {
  id: string
  state: 'looking' | 'looked' | 'unreadable' | 'writing' | 'written' | 'cancelled' | 'failed' | 'removing'
  fileName: string
  size: number
  created: number
  createdBy: string
  parentId: string | null
  zone?: string
  message?: string
  notice?: { message: string; values?: { [key: string]: unknown } }
  errorId?: string
  seconds?: number
  progress?: { pass: number; done: number; total: number }
  look?: {
    format: string
    formatName: string
    records: { [key: string]: number }
    leftOutKinds?: { [key: string]: { [key: string]: number } }
    leftOutRows?: { [key: string]: (number | string)[] }
    sources: { [key: string]: number }
    types: { [key: string]: number }
    from: number | null
    to: number | null
    lanes: {
      key: string
      format: string
      stream: string
      source: string
      type: string
      form: 'series' | 'events'
      count: number
      from: number
      to: number
      path?: { id: string; name: string }[]
      choice?: { measure?: string | null; streamId?: string; isLeftOut?: true }
      measure?: string
      example?: unknown
      min?: number | { [key: string]: number }
      max?: number | { [key: string]: number }
    }[]
    warnings: string[]
    notices?: { message: string; values?: { [key: string]: unknown } }[]
    tables: {
      header: string
      columns: string[]
      sample: string[][]
      mapping?: unknown
      questions?: {
        column: number
        asks: 'dates' | 'decimals'
        cells: string[]
        readings: { [key: string]: number[] }
      }[]
    }[]
  }
  tally?: {
    broughtIn: { [key: string]: number }
    known: { [key: string]: number }
    leftOut: { [key: string]: number }
  }
}

export type ItemDeletion = { id: string; deleted?: number; integrity?: string }

export type OperatorAccess = {
  id: string
  type: 'personal' | 'app' | 'shared'
  name: string
  deviceName?: string
  permissions?: Permission[]
  lastUsed?: number
  expires?: number
  deleted?: number
  created: number
  createdBy: string
  modified: number
  modifiedBy: string
}

export type Permission =
  | { streamId: string; level: 'none' | 'read' | 'create-only' | 'contribute' | 'manage' }
  | { feature: 'selfRevoke' | 'selfAudit' | 'secretSharing'; setting: 'allowed' | 'forbidden' }

export type PublicAccess = {
  id: string
  token?: string
  type: 'personal' | 'app' | 'shared'
  name: string
  deviceName?: string
  permissions?: Permission[]
  endedPermissions?: {
    streamId: string
    level: 'none' | 'read' | 'create-only' | 'contribute' | 'manage'
    since: number
    until: number
  }[]
  lastUsed?: number
  expires?: number
  alias?: string
  clientData?: { [key: string]: unknown }
  deleted?: number
  integrity?: string
  created: number
  createdBy: string
  modified: number
  modifiedBy: string
  apiEndpoint?: string
  oauth?: {
    clientId: string
    clientName?: string
    scopes: string[]
    granted: number
    refreshed?: number
    renewableUntil?: number
  }
}

export type Person = {
  username: string
  created: number
  state: 'active' | 'suspended' | 'moved' | 'closing'
  suspended: number | null
  deletion: number | null
  isOperator: boolean
  quota: number
  hasOwnQuota: boolean
  documents: number | null
  attachments: number | null
  lastUsed: number | null
  hasSecondFactor: boolean | null
  passkeys: number | null
}

export type Scopes = {
  [key: string]:
    | {
        kind?: 'events'
        query?: {
          streams?: StreamsQuery
          types?: string[]
          content?: unknown
          clientData?: unknown
          state?: 'default' | 'trashed' | 'all'
        }
      }
    | { kind: 'streams'; query?: { streams?: string[] } }
    | {
        kind: 'accesses'
        query?: { streams?: string[]; types?: ('personal' | 'app' | 'shared')[]; accessIds?: string[] }
      }
}

export type Stream = {
  id: string
  name: string
  parentId: string | null
  clientData?: { [key: string]: unknown }
  trashed?: boolean
  created: number
  createdBy: string
  modified: number
  modifiedBy: string
}

export type StreamTree = {
  id: string
  name: string
  parentId: string | null
  clientData?: { [key: string]: unknown }
  trashed?: boolean
  created: number
  createdBy: string
  modified: number
  modifiedBy: string
  children: StreamTree[]
  childrenHidden?: boolean
}

export type Webhook = {
  id: string
  accessId: string
  url: string
  state: 'active' | 'inactive'
  runCount: number
  failCount: number
  lastRun: { status: number; timestamp: number }
  runs: { status: number; timestamp: number }[]
  currentRetries: number
  maxRetries: number
  minIntervalMs: number
  scopes?: Scopes
  signed?: boolean
  created: number
  createdBy: string
  modified: number
  modifiedBy: string
}
