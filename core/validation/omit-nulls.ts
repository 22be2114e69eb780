/**
 * Params of reading methods, in which `null` means the same as a missing field.
 * (docs/spec/conventions.md#null-and-missing-fields)
 */

/** Params without `null` values. */
export type WithoutNulls<P> = { [K in keyof P]: Exclude<P[K], null> }

/** Returns the params without those that are `null`. */
export function omitNulls<P extends object>(params: P): WithoutNulls<P> {
  for (const name in params) if (params[name] === null) return copyWithoutNulls(params)
  return params as WithoutNulls<P>
}

function copyWithoutNulls<P extends object>(params: P): WithoutNulls<P> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) as WithoutNulls<P>
}
