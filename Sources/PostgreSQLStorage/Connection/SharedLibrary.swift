#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A shared library of the system, which stays loaded until the process ends.
struct SharedLibrary {
    private let handle: UnsafeMutableRawPointer

    /// Loads the first of these libraries that exists; nil if none exists. The library's symbols are not visible to other libraries.
    init?(names: [String]) {
        let found = names.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first
        guard let found else { return nil }
        handle = found
    }

    /// The library's function with this name; nil if it has no such function.
    ///
    /// - Parameter type: the function's type in C, with `@convention(c)`. It has to match the library's documentation, because a shared
    ///   library contains no types.
    func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        guard MemoryLayout<Function>.size == MemoryLayout<UnsafeMutableRawPointer>.size else { return nil }
        return dlsym(handle, name).map { unsafeBitCast($0, to: type) }
    }
}
