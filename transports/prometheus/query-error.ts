/** An error in a query, as the Prometheus API reports it. */
export class QueryError extends Error {
  constructor(
    /** `bad_data`: malformed; `execution`: not supported, or too much. */
    readonly errorType: 'bad_data' | 'execution',
    message: string
  ) {
    super(message)
  }

  /** The HTTP status: 400 for a malformed query, 422 for one that is not evaluated. */
  get status(): number {
    return this.errorType === 'bad_data' ? 400 : 422
  }
}

/** Refuses a query that is malformed. */
export function refuseMalformed(message: string): never {
  throw new QueryError('bad_data', message)
}

/** Refuses a query that this service does not evaluate. */
export function refuseUnsupported(message: string): never {
  throw new QueryError('execution', message)
}
