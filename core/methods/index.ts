/** THE list of methods. */
import type { AnyMethod } from '../method.js'
import { checkApp } from './accesses/check-app.js'
import { create as createAccess } from './accesses/create.js'
import { deleteAccess } from './accesses/delete.js'
import { get as getAccesses } from './accesses/get.js'
import { login } from './auth/login.js'
import { logout } from './auth/logout.js'
import { callBatch } from './call-batch.js'
import { getAccessInfo } from './get-access-info.js'
import { register } from './registration/register.js'
import { registerOlder } from './registration/register-older.js'
import { create as createStream } from './streams/create.js'
import { get as getStreams } from './streams/get.js'
import { update as updateStream } from './streams/update.js'

export const methods: readonly AnyMethod[] = [
  checkApp,
  createAccess,
  deleteAccess,
  getAccesses,
  login,
  logout,
  callBatch,
  getAccessInfo,
  register,
  registerOlder,
  createStream,
  getStreams,
  updateStream
]
