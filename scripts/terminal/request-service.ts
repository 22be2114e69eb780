/** Sends requests to a running service. */

/** The service refused a call, is unreachable, or must be stopped first. */
export class OperatorError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OperatorError'
  }
}

/** A day of heart rates may have to wait for other requests. */
const timeoutMs = 120_000

/** Returns the JSON object of a response. Throws {@link OperatorError} if the service is unreachable or refuses the request. */
export async function requestService(url: string, request: RequestInit): Promise<object> {
  const { origin } = new URL(url)
  const timeout = { signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' } as const
  const response = await fetch(url, { ...timeout, ...request }).catch((error: Error) => {
    const { message } = error.cause instanceof Error ? error.cause : error
    throw new OperatorError(`${origin} is not responding: ${message}`)
  })
  const answer = parseObject(await response.text())
  if (response.ok && answer) return answer
  throw new OperatorError(
    `${origin} refused the call: ${answer?.error?.message ?? `it responded with ${response.status}`}`
  )
}

function parseObject(text: string): { error?: { message?: string } } | undefined {
  try {
    return Object(JSON.parse(text)) as object
  } catch {
    return undefined
  }
}
