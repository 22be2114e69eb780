/** The methods on rules. (docs/api/rules.md) */
import type { AnyMethod } from '../../call/method.js'
import { acknowledge } from './acknowledge.js'
import { create } from './create.js'
import { deleteRule } from './delete.js'
import { getOne } from './get-one.js'
import { get } from './get.js'
import { test } from './test.js'
import { update } from './update.js'

export const ruleMethods: readonly AnyMethod[] = [acknowledge, create, deleteRule, getOne, get, test, update]
