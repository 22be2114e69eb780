/** Params and results of methods: callBatch, service. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.

export interface ServiceMethods {
  /** Make several calls in order. */
  callBatch: {
    params: readonly { readonly method: string; readonly params?: unknown }[]
    result: { results: unknown[] }
  }
  /** Get the service information. */
  'service.info': {
    params: { readonly [key: string]: unknown }
    result: {
      register: string
      access: string
      api: string
      name: string
      home: string
      support: string
      terms: string
      eventTypes: string
      version: string
      serial: string
      assets: { definitions: string; [key: string]: unknown }
      adapters?: string[]
      features: {
        noHF: boolean
        contentQueries: boolean
        textQueries: boolean
        scopedNotifications: boolean
        cmc: boolean
        sharedSecrets: boolean
        accessesUpdate: boolean
        oauth2: boolean
        dpop: boolean
        mfa: { methods: string[] }
      }
    }
  }
}
