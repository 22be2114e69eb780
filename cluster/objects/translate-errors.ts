/** Reports unreachable objects as storage that is unavailable. */
import { StoreUnavailable } from '../../storage/errors.js'
import { EngineUnavailable } from '../engine.js'
import type { Objects } from '../objects.js'

/** Returns objects whose methods reject with `StoreUnavailable` instead of `EngineUnavailable`. */
export function translateErrors(objects: Objects): Objects {
  return {
    put: async (...given) => await translateError(() => objects.put(...given)),
    get: async (...given) => await translateError(() => objects.get(...given)),
    remove: async (...given) => await translateError(() => objects.remove(...given)),
    list: async (...given) => await translateError(() => objects.list(...given)),
    sweep: async (...given) => await translateError(async () => objects.sweep?.(...given))
  }
}

async function translateError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof EngineUnavailable) throw new StoreUnavailable('Files cannot be reached', error)
    throw error
  }
}
