/** Components loaded after the lanes, in one file rather than several small ones. */
export { LaneChoice } from './choose.js'
export { CursorPanel } from './moment.js'
export { PrintSummary } from './paper.js'
export { OverviewStrip } from './strip.js'
export { LaneTable } from './table.js'
