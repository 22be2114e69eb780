/** Params of methods that read, where `null` says as little as leaving them out. (service.md, General conventions 8) */

/** Params of which none is `null`. */
export type Given<P> = { [K in keyof P]: Exclude<P[K], null> }

/** What has been given of optional params: all but those that are `null`. */
export function given<P extends object>(params: P): Given<P> {
  const entries = Object.entries(params)
  return entries.some(isNull)
    ? (Object.fromEntries(entries.filter(entry => !isNull(entry))) as Given<P>)
    : (params as Given<P>)
}

function isNull([, value]: readonly [string, unknown]): boolean {
  return value === null
}
