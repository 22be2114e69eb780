/** THE list of methods. */
import type { AnyMethod } from '../method.js'
import { create as createAccess } from './accesses/create.js'
import { callBatch } from './call-batch.js'
import { create as createStream } from './streams/create.js'
import { get as getStreams } from './streams/get.js'
import { update as updateStream } from './streams/update.js'

export const methods: readonly AnyMethod[] = [createAccess, callBatch, createStream, getStreams, updateStream]
