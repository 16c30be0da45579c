//! `cargo xtask manifests`: the files that Homebrew and winget want of a release.

use crate::Args;
use anyhow::{Context, Result, ensure};
use std::{fmt::Write, fs, path::PathBuf};

/// What refit is, in one line.
const DESCRIPTION: &str =
    "Bit-perfect unpack and repack for Zipper Interactive's games and PBO archives";
const LICENSE: &str = "MIT OR Apache-2.0";
/// The identifier in winget.
const ID: &str = "refit.refit";
/// Version of winget's schemas.
const SCHEMA: &str = "1.10.0";

/// Runs the task.
pub fn task(mut args: Args) -> Result<()> {
    let repository: String = args
        .value("--repository")?
        .context("--repository names the page of the project")?;
    let output = args.value::<PathBuf>("-o")?.context("-o names a folder")?;
    let sums = args.rest()?;
    let [sums] = sums.as_slice() else {
        anyhow::bail!("one list of checksums is needed: SHA256SUMS of the release");
    };
    let sums = fs::read_to_string(sums).with_context(|| sums.display().to_string())?;
    let release = Release {
        version: env!("CARGO_PKG_VERSION"),
        repository: repository.trim_end_matches('/'),
        sums: &sums,
    };
    for (path, text) in [
        ("homebrew/refit.rb".to_owned(), release.homebrew()?),
        (format!("winget/{ID}.yaml"), release.winget_version()),
        (
            format!("winget/{ID}.installer.yaml"),
            release.winget_installer()?,
        ),
        (
            format!("winget/{ID}.locale.en-US.yaml"),
            release.winget_locale(),
        ),
    ] {
        let path = output.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, text).with_context(|| path.display().to_string())?;
        println!("{}", path.display());
    }
    Ok(())
}

/// A release, and the sums of its archives.
struct Release<'a> {
    version: &'a str,
    repository: &'a str,
    sums: &'a str,
}

impl Release<'_> {
    /// The address of an archive, and its SHA-256.
    fn archive(&self, system: &str, end: &str) -> Result<(String, &str)> {
        let name = format!("refit-{}-{system}.{end}", self.version);
        let line = self.sums.lines().find_map(|line| {
            let (sum, file) = line.split_once(char::is_whitespace)?;
            (file.trim_start_matches([' ', '*']) == name).then_some(sum)
        });
        let sum = line.with_context(|| format!("the list has no {name}"))?;
        ensure!(
            sum.len() == 64 && sum.bytes().all(|digit| digit.is_ascii_hexdigit()),
            "{sum:?} is no SHA-256"
        );
        let (page, version) = (self.repository, self.version);
        Ok((format!("{page}/releases/download/v{version}/{name}"), sum))
    }

    fn homebrew(&self) -> Result<String> {
        let mut out = format!(
            "class Refit < Formula\n  desc \"{DESCRIPTION}\"\n  homepage \"{}\"\n  version \"{}\"\n  license any_of: \
            [\"MIT\", \"Apache-2.0\"]\n",
            self.repository, self.version
        );
        for (system, name) in [("macos", "macos-aarch64"), ("linux", "linux-x86_64")] {
            let (url, sum) = self.archive(name, "tar.gz")?;
            write!(
                out,
                "\n  on_{system} do\n    url \"{url}\"\n    sha256 \"{sum}\"\n  end\n"
            )?;
        }
        out.push_str(
            "\n  def install\n    bin.install \"refit\"\n    man1.install Dir[\"man/*.1\"]\n    bash_completion.install \
            \"completions/refit.bash\" => \"refit\"\n    zsh_completion.install \"completions/_refit\"\n    \
            fish_completion.install \"completions/refit.fish\"\n  end\n\n  test do\n    assert_match version.to_s, \
            shell_output(\"#{bin}/refit --version\")\n  end\nend\n",
        );
        Ok(out)
    }

    /// The head of one of winget's files.
    fn head(&self, kind: &str) -> String {
        format!(
            "PackageIdentifier: {ID}\nPackageVersion: {}\nManifestType: {kind}\nManifestVersion: {SCHEMA}\n",
            self.version
        )
    }

    fn winget_version(&self) -> String {
        self.head("version") + "DefaultLocale: en-US\n"
    }

    fn winget_installer(&self) -> Result<String> {
        let (url, sum) = self.archive("windows-x86_64", "zip")?;
        let folder = format!("refit-{}-windows-x86_64", self.version);
        Ok(self.head("installer")
            + &format!(
                "InstallerType: zip\nNestedInstallerType: portable\nNestedInstallerFiles:\n- RelativeFilePath: \
                {folder}\\refit.exe\n  PortableCommandAlias: refit\nInstallers:\n- Architecture: x64\n  InstallerUrl: \
                {url}\n  InstallerSha256: {}\n",
                sum.to_uppercase()
            ))
    }

    fn winget_locale(&self) -> String {
        self.head("defaultLocale")
            + &format!(
                "PackageLocale: en-US\nPublisher: refit\nPackageName: refit\nPackageUrl: {}\nLicense: {LICENSE}\n\
                ShortDescription: {DESCRIPTION}\n",
                self.repository
            )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_gets_its_archive() {
        let sum = |digit: &str| digit.repeat(64);
        let sums = format!(
            "{}  refit-1.2.3-linux-x86_64.tar.gz\n{} *refit-1.2.3-macos-aarch64.tar.gz\n{}  \
            refit-1.2.3-windows-x86_64.zip\n",
            sum("a"),
            sum("b"),
            sum("c")
        );
        let release = Release {
            version: "1.2.3",
            repository: "https://forge.example/refit",
            sums: &sums,
        };
        let formula = release.homebrew().unwrap();
        let base = "https://forge.example/refit/releases/download/v1.2.3/refit-1.2.3";
        for (system, digit) in [("macos-aarch64", "b"), ("linux-x86_64", "a")] {
            let lines = format!(
                "url \"{base}-{system}.tar.gz\"\n    sha256 \"{}\"",
                sum(digit)
            );
            assert!(formula.contains(&lines), "{formula}");
        }
        let installer = release.winget_installer().unwrap();
        assert!(installer.contains(&format!("{base}-windows-x86_64.zip\n")));
        assert!(installer.contains(&format!("InstallerSha256: {}", sum("C"))));
        let lacking = Release {
            sums: "",
            ..release
        };
        let error = lacking.homebrew().unwrap_err().to_string();
        assert!(
            error.contains("refit-1.2.3-macos-aarch64.tar.gz"),
            "{error}"
        );
    }
}
