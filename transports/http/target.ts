/** Prepares routes for calls. */
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { replyDocument } from './answer/document.js'
import { replyExport } from './answer/export.js'
import { replyPreview } from './answer/preview.js'
import { hasBody, paramsFor, type ParamsOf } from './request/params.js'
import type { AnswerKind, Route } from './routes.js'

/** A route with the properties of its method that calls need. */
export interface Target extends Route {
  readonly paramsOf: ParamsOf
  /** True for a method of the service rather than of the user named in the path. */
  readonly isService: boolean
  /** True if callers are authorised before the body is read. */
  readonly isGuarded: boolean
  /** True if it requires an access. */
  readonly needsAccess: boolean
  /** Sends results that need more than their text. */
  readonly replyOwn: typeof replyDocument | undefined
  /** True if there is only a call to make: nothing to check or to receive before, and no file to send. */
  readonly isPlain: boolean
}

const customReplies: Partial<Record<AnswerKind, typeof replyDocument>> = {
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
    const replyOwn = route.answers && customReplies[route.answers]
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
