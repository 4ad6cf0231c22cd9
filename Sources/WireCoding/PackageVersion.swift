/// The version of this package. Clients send it to servers, the server reports it in its metrics, and the program prints it with
/// `--version`.
///
/// `CHANGELOG.md` and `README.md` name the same (`Tests/InteropTests/test_release.py`); see `docs/releasing.md`.
public enum PackageVersion {
    /// Three numbers with dots between them, as semantic versioning has them.
    public static let current = "0.3.0"
}
