/// The version of this package. Clients send it to servers, the server reports it in its metrics, and the program prints it with
/// `--version`.
///
/// `CHANGELOG.md` and `README.md` must name the same version (checked by `Tests/InteropTests/test_release.py`); see `docs/releasing.md`.
public enum PackageVersion {
    /// The version as three numbers separated by dots, following semantic versioning.
    public static let current = "0.3.0"
}
