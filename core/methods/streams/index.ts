/** The methods on streams. */
import { create } from './create.js'
import { deleteStream } from './delete.js'
import { facts } from './facts.js'
import { findAbove } from './find-above.js'
import { get } from './get.js'
import { update } from './update.js'

export const streamMethods = [create, deleteStream, get, findAbove, facts, update]
