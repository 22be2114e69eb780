/** Components loaded after the lanes, in one file rather than several small ones. */
export { Choose } from './choose.js'
export { Moment } from './moment.js'
export { Paper } from './paper.js'
export { Strip } from './strip.js'
export { TableOf } from './table.js'
