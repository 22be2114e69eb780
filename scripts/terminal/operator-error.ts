/** The service refused a call, is unreachable, or must be stopped first. */
export class OperatorError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OperatorError'
  }
}
