#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One parser or session under the fuzzer.
struct FuzzTarget: Sendable {
    /// The value of `LIFELINE_FUZZ_TARGET`, and the folder of the seeds.
    var name: String
    /// Runs the code with one input. Traps, or calls ``require(_:_:)``, when the code does something that it must not do.
    var run: @Sendable (FuzzInput) -> Void
}

/// Every target. A new one needs a folder of the same name in `Fuzz/Seeds`.
private let targets: [FuzzTarget] = [
    HTTPTargets.all, WireTargets.all, PubNubTargets.all, ServerTargets.all, ClusterTargets.all, CertificateTargets.all,
    ClientTargets.all,
].flatMap { $0 }

/// The target that `LIFELINE_FUZZ_TARGET` names. The value `list` prints the names of all targets instead.
private let selected: FuzzTarget = {
    let name = getenv("LIFELINE_FUZZ_TARGET").map { String(cString: $0) } ?? "list"
    if let target = targets.first(where: { $0.name == name }) { return target }
    for target in targets { print(target.name) }
    exit(name == "list" ? 0 : 2)
}()

/// libFuzzer's main loop.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<Arguments>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

private typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

/// Runs one input. libFuzzer looks for a function of this name.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    selected.run(FuzzInput(UnsafeRawBufferPointer(start: bytes, count: count)))
    return 0
}

/// The program's entry point; Swift Package Manager gives it this name.
@_cdecl("lifeline_fuzz_main")
public func main(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    _ = selected
    var (count, arguments) = (count, arguments)
    return runDriver(&count, &arguments, runInput)
}

/// Ends the process with a message that libFuzzer reports as a crash, unless the condition holds.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
