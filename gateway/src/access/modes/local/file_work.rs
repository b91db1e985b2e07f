//! Work on the files of the user's state folder, off the async threads. A folder that hangs, such as a home on a network
//! mount, holds up who asks for [`FILE_ANSWER_S`] and takes a few threads; it delays nothing else.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::Semaphore;

use crate::limits::{FILE_ANSWER_S, LOCAL_FILE_WORK_MAX};

pub(super) struct FileWork {
    places: Arc<Semaphore>,
    patience: Duration,
}

impl Default for FileWork {
    fn default() -> Self {
        let places = Arc::new(Semaphore::new(LOCAL_FILE_WORK_MAX));
        Self { places, patience: Duration::from_secs(FILE_ANSWER_S) }
    }
}

impl FileWork {
    /// `None`: the folder didn't answer in time. The work may still be done later.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> BoxFuture<'static, Option<T>> {
        let (places, patience) = (Arc::clone(&self.places), self.patience);
        let worked = async move {
            let run = async {
                let place = places.acquire_owned().await.ok()?;
                let worked = tokio::task::spawn_blocking(move || {
                    let done = work();
                    drop(place);
                    done
                });
                worked.await.ok()
            };
            tokio::time::timeout(patience, run).await.ok().flatten()
        };
        worked.boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc};

    use super::*;

    #[tokio::test]
    async fn r_rel_11_a_folder_that_hangs_takes_a_few_threads_and_the_patience_of_who_asks() {
        let places = Arc::new(Semaphore::new(LOCAL_FILE_WORK_MAX));
        let hasty = FileWork { places: Arc::clone(&places), patience: Duration::from_millis(1) };
        let (release, hangs) = mpsc::channel::<()>();
        let hangs = Arc::new(Mutex::new(hangs));
        for _ in 0..LOCAL_FILE_WORK_MAX {
            let hangs = Arc::clone(&hangs);
            let hang = move || drop(hangs.lock().map(|hangs| hangs.recv()));
            assert_eq!(hasty.run(hang).await, None);
        }
        assert_eq!(places.available_permits(), 0);
        assert_eq!(hasty.run(|| 7).await, None, "not begun");
        drop(release);
        let patient = FileWork { places, ..FileWork::default() };
        assert_eq!(patient.run(|| 7).await, Some(7));
    }
}
