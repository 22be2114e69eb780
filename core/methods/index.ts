/** THE list of methods. */
import type { AnyMethod } from '../method.js'
import { callBatch } from './call-batch.js'

export const methods: readonly AnyMethod[] = [callBatch]
