export { FrameProcessor } from './frame-processor.js';
export { Pipeline } from './pipeline.js';
export { PipelineTask, type PipelineTaskEvents, type PipelineTaskOptions } from './pipeline-task.js';
