-- a CustomJob with two mistakes
set serverless.custom.job.task.gpus = 1;
set emr.serverless.mgpu.core = 3;
set emr.serverless.mgpu.memory = 1000;
