/** THE list of methods. */
import type { AnyMethod } from '../method.js'
import { create as createAccess } from './accesses/create.js'
import { login } from './auth/login.js'
import { logout } from './auth/logout.js'
import { callBatch } from './call-batch.js'
import { register } from './registration/register.js'
import { registerOlder } from './registration/register-older.js'
import { create as createStream } from './streams/create.js'
import { get as getStreams } from './streams/get.js'
import { update as updateStream } from './streams/update.js'

export const methods: readonly AnyMethod[] = [
  createAccess,
  login,
  logout,
  callBatch,
  register,
  registerOlder,
  createStream,
  getStreams,
  updateStream
]
