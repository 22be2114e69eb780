/** The methods on channels. (docs/api/channels.md) */
import type { AnyMethod } from '../../call/method.js'
import { create } from './create.js'
import { deleteChannel } from './delete.js'
import { getOne } from './get-one.js'
import { get } from './get.js'
import { test } from './test.js'
import { update } from './update.js'

export const channelMethods: readonly AnyMethod[] = [create, deleteChannel, getOne, get, test, update]
