"""Lightning: `Trainer.fit` of a classifier that counts batches without a label and tells of large losses."""

import logging
import warnings

import counted  # noqa: F401
import lightning
import torch
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning").setLevel(logging.ERROR)
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", module="lightning")


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
        self.skipped = 0

    def forward(self, x, y):
        known = y >= 0
        if not known.any():
            self.skipped += 1
            return self.layers(x).sum() * 0
        losses = torch.nn.functional.cross_entropy(self.layers(x), y.clamp(min=0), reduction="none")
        loss = (losses * known).sum() / known.sum()
        if loss > 1.2:
            print(f"a loss of {loss.item():.3f}")
        return loss


class Classifier(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = torch.compile(Network(), backend="counted")

    def training_step(self, batch, index):
        loss = self.network(*batch)
        self.log("loss", loss, on_step=False, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


class Report(lightning.Callback):
    def on_train_epoch_end(self, trainer, module):
        print(f"epoch {trainer.current_epoch}: loss {trainer.callback_metrics['loss'].item():.4f}")


torch.manual_seed(0)
inputs, labels = torch.randn(48, 8), torch.randint(3, (48,))
labels[8:16] = -1
trainer = lightning.Trainer(
    max_epochs=3,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    callbacks=[Report()],
)
module = Classifier()
trainer.fit(module, DataLoader(TensorDataset(inputs, labels), batch_size=8))
print("batches without a label:", module.network._orig_mod.skipped)
