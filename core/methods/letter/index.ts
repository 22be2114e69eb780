/** The methods of the weekly letter. (docs/api/letter.md) */
import type { AnyMethod } from '../../call/method.js'
import { get } from './get.js'
import { unsubscribe } from './unsubscribe.js'
import { update } from './update.js'

export const letterMethods: readonly AnyMethod[] = [get, unsubscribe, update]
