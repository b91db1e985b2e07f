//! The chart from its archive on a real API server, and a gateway as its pods would run it.

use anyhow::{Context, Result, ensure};

use super::Released;
use crate::chart_release::{Release, has_no_more_than_it_needs, plane, view};
use crate::pod::Image;
use crate::viewer::Viewer;

/// `image`: what the container of a pod is made of. Returns what was seen.
pub async fn works(released: &Released, image: Image<'_>) -> Result<String> {
    let archive = released.file(&format!("dogwatch-chart-{}.tgz", released.version));
    let plane = plane()?;
    let (release, _) = Release::install_chart(&plane, &archive, "dogwatch", &[])?;
    let pod = release.pod()?;
    let named = pod.pointer("/spec/containers/0/image").and_then(|name| name.as_str()).context("an image")?;
    ensure!(named.ends_with(&format!(":{}", released.version)), "its pods are of {named}");
    let (gateway, viewer) = (release.start_in(image, &pod)?, release.viewer()?);
    has_no_more_than_it_needs(&gateway)?;
    let mut pods = view(&gateway, &viewer, "pods")?;
    let has_both = |viewed: &Viewer| viewed.table().is_whole() && viewed.names().len() == 2;
    pods.until_state("its own two pods", has_both).await?;
    drop(pods);
    ensure!(gateway.end()?.success(), "it ends by itself");
    Ok(format!("its pods are of {named}, and one shows both"))
}
