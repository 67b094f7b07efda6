"""What each command does; its arguments and help are in `rag_eval_pipeline.cli`."""
