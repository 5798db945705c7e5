"""transformers: `Trainer.train` of a small causal language model that checks its inputs and reports rare tokens."""

import tempfile

import counted  # noqa: F401
import torch
import transformers

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()


class Model(transformers.GPT2LMHeadModel):
    def forward(self, input_ids=None, labels=None, attention_mask=None, **options):
        if input_ids.max() >= self.config.vocab_size:
            raise ValueError(f"token {input_ids.max().item()} is not in the vocabulary")
        rare = (input_ids > 45).sum()
        if rare > 4:
            print(f"{rare.item()} rare tokens")
        return super().forward(input_ids=input_ids, labels=labels, attention_mask=attention_mask)


class Report(transformers.TrainerCallback):
    def on_log(self, args, state, control, logs=None, **options):
        if "loss" in logs:
            print(f"step {state.global_step}: loss {float(logs['loss']):.4f}")


torch.manual_seed(0)
sizes = {"vocab_size": 50, "n_positions": 16, "n_embd": 16, "n_layer": 2, "n_head": 2}
config = transformers.GPT2Config(**sizes, bos_token_id=0, eos_token_id=0)
rows = [{"input_ids": row, "labels": row} for row in torch.randint(0, 50, (32, 12))]
with tempfile.TemporaryDirectory() as folder:
    arguments = transformers.TrainingArguments(
        output_dir=folder,
        num_train_epochs=2,
        per_device_train_batch_size=4,
        learning_rate=0.01,
        logging_steps=4,
        report_to=[],
        save_strategy="no",
        disable_tqdm=True,
        use_cpu=True,
    )
    model = Model(config)
    model.compile(backend="counted")
    trainer = transformers.Trainer(model, arguments, train_dataset=rows, callbacks=[Report()])
    trainer.remove_callback(transformers.PrinterCallback)
    trainer.train()
