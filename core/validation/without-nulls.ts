/** Params of methods that read, where `null` says as little as leaving them out. (service.md, General conventions 8) */

/** Params of which none is `null`. */
export type Given<P> = { [K in keyof P]: Exclude<P[K], null> }

/** What has been given of optional params: all but those that are `null`. */
export function given<P extends object>(params: P): Given<P> {
  for (const name in params) if (params[name] === null) return withoutNull(params)
  return params as Given<P>
}

function withoutNull<P extends object>(params: P): Given<P> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) as Given<P>
}
