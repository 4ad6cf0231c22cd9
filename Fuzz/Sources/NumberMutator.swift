/// Numbers at which arithmetic and conversions overflow.
private let edges: [[UInt8]] = [
    "0", "-1", "2147483647", "4294967296", "9007199254740993", "922337203685477", "922337203685478", "9223372036854775806",
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e400",
].map { Array($0.utf8) }

@_silgen_name("LLVMFuzzerMutate")
private func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int) -> Int

/// Changes an input in place. libFuzzer looks for a function of this name.
///
/// One time in four a decimal number of the input is replaced by one at an edge, which libFuzzer's own mutations hardly ever do.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateInput(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
    guard seed % 4 == 0 else { return mutate(bytes, count, limit) }
    let input = UnsafeBufferPointer(start: bytes, count: count)
    var numbers: [Range<Int>] = []
    var start: Int?
    for index in 0...count {
        let isPart = index < count && (0x30...0x39).contains(input[index])
        if isPart, start == nil { start = index > 0 && input[index - 1] == UInt8(ascii: "-") ? index - 1 : index }
        if !isPart, let first = start {
            numbers.append(first..<index)
            start = nil
        }
    }
    guard !numbers.isEmpty else { return mutate(bytes, count, limit) }
    let range = numbers[Int(seed / 4) % numbers.count]
    var changed = Array(input)
    changed.replaceSubrange(range, with: edges[Int(seed / 4096) % edges.count])
    guard changed.count <= limit else { return mutate(bytes, count, limit) }
    for (index, byte) in changed.enumerated() { bytes[index] = byte }
    return changed.count
}
