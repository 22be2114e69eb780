/** `system.getDeeds`: the actions of operators. (docs/spec/administration.md#activity-log) */
import { Type } from 'typebox'
import { closed, Timestamp } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'

const pageSize = 50

const NameOrNull = Type.Union([Type.String(), Type.Null()])

/** One action. Accounts have their current names; deleted accounts have `null`. */
const AdminAction = Type.Object({
  number: Type.Integer(),
  time: Timestamp,
  method: Type.String(),
  /** Whether the action was authorised by the operator's key. */
  isByKey: Type.Boolean(),
  operator: NameOrNull,
  /** Id of the account concerned. */
  target: NameOrNull,
  username: NameOrNull,
  detail: Type.Record(Type.String(), Type.Unknown()),
  /** Id of the error, if the action was refused. */
  error: NameOrNull,
  ip: Type.String()
})

/** `GET /system/deeds?before=&limit=`, latest first. `before`: a `number`. */
export const getDeeds = operatorMethod({
  id: 'system.getDeeds',
  summary: 'List actions of operators',
  params: Type.Object(
    {
      before: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 }))
    },
    closed
  ),
  result: Type.Object({ deeds: Type.Array(AdminAction) }),
  run: ({ services }, { before = Number.MAX_SAFE_INTEGER, limit = pageSize }) => ({
    deeds: services.platform.adminActions
      .list(before, limit)
      .map(({ detail, error, ip, method, number, operator, operatorName, target, targetName, time }) => ({
        number,
        time,
        method,
        isByKey: operator === null,
        operator: operatorName,
        target,
        username: targetName,
        detail,
        error,
        ip
      }))
  })
})
