/** Where methods are reached over HTTP, as far as the audit tells of it: transports know, the core is told. */
export interface Endpoint {
  readonly verb: string
  /** The path below the user's root, without what stands for ids: `/events`. */
  readonly resource: string
  /** Status of success. */
  readonly status: number
}

/** By method id. */
export type Endpoints = ReadonlyMap<string, Endpoint>
