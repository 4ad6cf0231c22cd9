import Dispatch
import Foundation
import NIOConcurrencyHelpers

/// Rotated log files with limits on their size and number. Lines are written on a separate queue; a line that cannot be written is dropped.
///
/// `@unchecked Sendable`: the limits are behind `box`, a `NIOLockedValueBox`; `handle`, `length` and `files` are used on `queue` only.
final class LogFiles: @unchecked Sendable {
    struct Limits: Sendable {
        var fileSize: UInt = 5 << 20
        var count: UInt = 5
        var quota: UInt = 50 << 20
    }

    private let directory: URL
    private let ending: String
    private let box = NIOLockedValueBox(Limits())
    private let queue = DispatchQueue(label: "lifeline.pubnub.log")
    private var handle: FileHandle?
    private var length: UInt = 0
    /// The number of files that this object has started. File names contain it.
    private var files: UInt64 = 0

    init(directory: String, ending: String) {
        self.directory = URL(fileURLWithPath: directory, isDirectory: true)
        self.ending = ending
    }

    var limits: Limits {
        get { box.withLockedValue { $0 } }
        set { box.withLockedValue { $0 = newValue } }
    }

    /// Appends a line with the present date and time. Returns before the line is written.
    func append(_ message: String) {
        let line = "\(Date().formatted(.iso8601)) \(message)\n"
        queue.async { self.write(Data(line.utf8)) }
    }

    /// Waits until all appended lines have been written.
    func flush() {
        queue.sync {}
    }

    private func write(_ line: Data) {
        if handle == nil || length + UInt(line.count) > limits.fileSize { begin() }
        guard let handle, (try? handle.write(contentsOf: line)) != nil else { return }
        length += UInt(line.count)
    }

    /// Starts a new file, and deletes the oldest files so that the limits are kept.
    private func begin() {
        try? handle?.close()
        handle = nil
        length = 0
        let manager = FileManager.default
        // If the directory cannot be made, no file is made and nothing is logged, because a log must not disturb the app.
        try? manager.createDirectory(at: directory, withIntermediateDirectories: true)
        let file = directory.appendingPathComponent("\(name()).\(ending)", isDirectory: false)
        guard manager.createFile(atPath: file.path, contents: nil) else { return }
        handle = try? FileHandle(forWritingTo: file)
        prune()
    }

    private func prune() {
        let limits = limits
        let manager = FileManager.default
        let names = (try? manager.contentsOfDirectory(atPath: directory.path)) ?? []
        let newestFirst = names.filter { $0.hasSuffix(".\(ending)") }.sorted(by: >)
        var total: UInt = 0
        for (index, name) in newestFirst.enumerated() {
            let path = directory.appendingPathComponent(name, isDirectory: false).path
            total += (try? manager.attributesOfItem(atPath: path)[.size] as? UInt) ?? 0
            let isTooMuch = UInt(index) >= max(limits.count, 1) || total > limits.quota
            if isTooMuch, index > 0 { try? manager.removeItem(atPath: path) }
        }
    }

    /// Makes a file name. Names sort by time, and names of one process also by number.
    private func name() -> String {
        files += 1
        let milliseconds = UInt64(max(Date().timeIntervalSince1970, 0) * 1000)
        return "pubnub-\(Self.padded(milliseconds, 15))-\(Self.padded(files, 6))-\(UUID().uuidString.prefix(8))"
    }

    private static func padded(_ number: UInt64, _ length: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(length - digits.count, 0)) + digits
    }
}
