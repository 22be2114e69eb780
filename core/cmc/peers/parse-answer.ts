/** Parses what the servers of peers answer: up to some megabytes, of any form. */
import { runInTurns } from '../../../storage/steps.js'
import { ApiError } from '../../errors.js'
import { measureValue } from '../../json/depth.js'
import { isLargeJson, readJson } from '../../json/reader.js'
import { isObject } from '../../validation/is-object.js'

/** Maximum nesting of a large answer, and number of objects and arrays in one: well above those of many streams and events. */
const maxDepth = 200
const maxContainers = 200_000

/**
 * Parses an answer, a large one in turns. Returns an empty object if it is not a JSON object, and `undefined` if it is beyond the limits;
 * `jsonKeys`: the maximum number of keys of an object.
 */
export async function parseAnswer(
  text: string,
  jsonKeys: number
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const limits = { jsonDepth: maxDepth, jsonKeys }
    const body: unknown = isLargeJson(text) ? await runInTurns(readJson(text, limits)) : JSON.parse(text)
    if (!isObject(body)) return {}
    return measureValue(body, Infinity, maxContainers).containers > maxContainers ? undefined : body
  } catch (error) {
    return error instanceof ApiError ? undefined : {}
  }
}
