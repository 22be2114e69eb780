/** Serializes items with their integrity values. (docs/spec/integrity.md#values) */

/** The JSON text of an item, with its integrity value at the end if there is one. */
export function serializeWithIntegrity(item: object, integrity: string | undefined): string {
  const text = JSON.stringify(item)
  return integrity === undefined ? text : `${text.slice(0, -1)},"integrity":${JSON.stringify(integrity)}}`
}
