/** Routes, prepared for calls. */
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { replyDocument } from './answer/document.js'
import { replyExport } from './answer/export.js'
import { replyPreview } from './answer/preview.js'
import { hasBody, paramsFor, type ParamsOf } from './request/params.js'
import type { AnswerKind, Route } from './routes.js'

/** A route together with what calls need to know of its method. */
export interface Target extends Route {
  readonly paramsOf: ParamsOf
  /** Whether it is a method of the service rather than of the user named in the path. */
  readonly isService: boolean
  /** Whether callers are authorized before the body is read. */
  readonly isGuarded: boolean
  /** Whether it requires an access. */
  readonly needsAccess: boolean
  /** How results are sent that need more than their text. */
  readonly replyOwn: typeof replyDocument | undefined
  /** Whether the call is all there is to it: nothing to check or to receive before, and no file to send. */
  readonly isPlain: boolean
}

const ownReplies: Partial<Record<AnswerKind, typeof replyDocument>> = {
  preview: replyPreview,
  export: replyExport,
  document: replyDocument
}

/** Returns a function that prepares routes for calls. */
export function targetsOf(dispatcher: Dispatcher): (route: Route) => Target {
  const methods = new Map(dispatcher.definitions.map(definition => [definition.id, definition]))
  return route => {
    const method = methods.get(route.method)
    const isService = method?.mode === 'service'
    const isGuarded = isService && method.allow.isByCredentials === true
    const needsAccess = method?.allow.needsAccess ?? false
    const replyOwn = route.answers && ownReplies[route.answers]
    return {
      ...route,
      paramsOf: paramsFor(route.verb, method),
      isService,
      isGuarded,
      needsAccess,
      replyOwn,
      isPlain: !isGuarded && !replyOwn && route.answers !== 'file' && !hasBody(route.verb)
    }
  }
}
