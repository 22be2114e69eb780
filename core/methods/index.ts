/** THE list of methods. */
import type { AnyMethod } from '../method.js'
import { login } from './auth/login.js'
import { logout } from './auth/logout.js'
import { callBatch } from './call-batch.js'
import { register } from './registration/register.js'
import { registerOlder } from './registration/register-older.js'

export const methods: readonly AnyMethod[] = [callBatch, login, logout, register, registerOlder]
