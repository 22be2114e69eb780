/** The methods on webhooks. (docs/api/webhooks.md) */
import type { AnyMethod } from '../../call/method.js'
import { create } from './create.js'
import { deleteWebhook } from './delete.js'
import { getOne } from './get-one.js'
import { get } from './get.js'
import { test } from './test.js'
import { update } from './update.js'

export const webhookMethods: readonly AnyMethod[] = [create, deleteWebhook, getOne, get, test, update]
