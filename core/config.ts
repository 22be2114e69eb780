/** The configuration: settings, and what follows from them. Read once at start, frozen. */
import type { Settings } from './settings.js'

/** Settings with what is derived from them. */
export interface Config extends Settings {
  /** Version of the API that is announced. */
  readonly apiVersion: string
  /** Changes when the software or settings that clients read change. (service.md, Versioning 2) */
  readonly serial: string
}
