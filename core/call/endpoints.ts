/** The HTTP endpoint of a method, for the audit. Transports pass them to the core. */
export interface Endpoint {
  readonly verb: string
  /** The path below the user's root, without parameters: `/events`. */
  readonly resource: string
  /** Status of success. */
  readonly status: number
}

/** By method id. */
export type Endpoints = ReadonlyMap<string, Endpoint>
