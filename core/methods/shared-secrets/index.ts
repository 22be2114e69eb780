/** The methods on shared secrets. */
import { create } from './create.js'
import { getOne } from './get-one.js'
import { retrieve } from './retrieve.js'

export const sharedSecretMethods = [create, retrieve, getOne]
