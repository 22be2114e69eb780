/** Which app may sign people in, from which origin. (service.md, Authentication 5; supplement 4.3) */
import type { Config } from './config.js'
import { fail } from './errors.js'
import type { Credentials } from './method.js'

/** Raises `forbidden` unless a trusted pair matches the app id and the `Origin`, or the `Referer` where that is absent. */
export function mustBeTrusted(_config: Config, _credentials: Credentials, _params: unknown): void {
  fail('forbidden', 'not built yet')
}
