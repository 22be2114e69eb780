/** Encodes params as a query string. (docs/spec/conventions.md#query-strings) */

/**
 * Returns params as a query string with its `?`, or an empty string if there are no params. Lists repeat the name;
 * objects are JSON.
 */
export function toQueryString(params: object): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params) as [string, unknown][])
    if (Array.isArray(value) && value.every(item => typeof item === 'string') && value.length > 0)
      for (const item of value) query.append(name, item)
    else if (value !== undefined && value !== null)
      query.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  return query.size > 0 ? `?${query.toString()}` : ''
}
