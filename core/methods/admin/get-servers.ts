/** `admin.getServers`: the number of accounts on each server. (docs/spec/administration.md#users-and-servers) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { countByServer } from '../../platform/user-listing.js'

/** `GET /reg/admin/servers`: this server, and the servers to which accounts have moved. */
export const getServers = operatorMethod({
  id: 'admin.getServers',
  summary: 'Count the users of each server',
  params: Type.Object({}, closed),
  result: Type.Object({ servers: Type.Record(Type.String(), Type.Number()) }),
  run: ({ services }) => ({ servers: Object.fromEntries(countByServer(services)) })
})
