import EngineRuntime
import Foundation
import Logging
import NIOConcurrencyHelpers

/// The log of a client, with its levels and its files. Nothing is written until ``enabled`` is set (rules PK-50 to PK-53).
///
/// Lines go to swift-log, whose backend chooses their destination, and to files. Keys, tokens and payloads are never written. May be used
/// from any thread.
public final class PNLLogger: Sendable {
    struct Settings: Sendable {
        var isEnabled = false
        var level: UInt = PNLogLevel([.PNInfoLogLevel, .PNFailureStatusLogLevel, .PNAPICallLogLevel]).rawValue
        var writesToConsole = true
        var writesToFile = true
        var handler: CallerBlock<Void>?
        var onLine: (@Sendable (String) -> Void)?
    }

    /// The logger's name.
    public let identifier: String
    /// The path of the folder that contains the log files.
    public let directory: String

    private let settings = NIOLockedValueBox(Settings())
    private let console: Logger
    private let files: LogFiles

    /// A logger with a name. Its files are in a folder of this name in the user's folder for caches.
    public convenience init(identifier: String) {
        self.init(identifier: identifier, directory: nil)
    }

    /// A logger with a name and a folder for its files; nil for a folder of this name in the user's folder for caches.
    public convenience init(identifier: String, directory logsDirectoryPath: String?) {
        self.init(identifier: identifier, directory: logsDirectoryPath, logExtension: nil)
    }

    /// A logger with a name, a folder and a file extension.
    ///
    /// - Parameters:
    ///   - identifier: the logger's name.
    ///   - logsDirectoryPath: the folder of its files; nil for a folder with the logger's name in the user's folder for caches.
    ///   - extension: the extension of its files' names; nil for `txt`.
    public init(identifier: String, directory logsDirectoryPath: String?, logExtension extension: String?) {
        self.identifier = identifier
        directory = logsDirectoryPath ?? Self.defaultDirectory(identifier)
        console = Logger(label: identifier)
        files = LogFiles(directory: directory, ending: `extension` ?? "txt")
    }

    /// Whether the logger writes anything; false by default.
    public var enabled: Bool {
        get { settings.withLockedValue { $0.isEnabled } }
        set { settings.withLockedValue { $0.isEnabled = newValue } }
    }

    /// The kinds of lines that are written: the raw value of a ``PNLogLevel``.
    public var logLevel: UInt {
        get { settings.withLockedValue { $0.level } }
        set { change { $0.level = newValue } }
    }

    /// Whether lines go to swift-log; true by default.
    public var writeToConsole: Bool {
        get { settings.withLockedValue { $0.writesToConsole } }
        set { settings.withLockedValue { $0.writesToConsole = newValue } }
    }

    /// Whether lines go to files; true by default.
    public var writeToFile: Bool {
        get { settings.withLockedValue { $0.writesToFile } }
        set { settings.withLockedValue { $0.writesToFile = newValue } }
    }

    /// The size in bytes at which the next file is started; 5 MiB by default.
    public var maximumLogFileSize: UInt {
        get { files.limits.fileSize }
        set { files.limits.fileSize = newValue }
    }

    /// The maximum number of files; 5 by default. When there are more, the oldest are deleted.
    public var maximumNumberOfLogFiles: UInt {
        get { files.limits.count }
        set { files.limits.count = newValue }
    }

    /// The maximum size of all files together in bytes; 50 MiB by default. When they are larger, the oldest are deleted.
    public var logFilesDiskQuota: UInt {
        get { files.limits.quota }
        set { files.limits.quota = newValue }
    }

    /// Called when ``logLevel`` was changed, on the thread that changed it; nil for no call.
    public var logLevelChangeHandler: (() -> Void)? {
        get { settings.withLockedValue { $0.handler }.map { handler in { handler(()) } } }
        set {
            let handler = newValue.map { handler in CallerBlock<Void> { handler() } }
            settings.withLockedValue { $0.handler = handler }
        }
    }

    /// Enables lines of the given levels: raw values of ``PNLogLevel``, combined.
    public func enableLogLevel(_ level: UInt) {
        change { $0.level |= level }
    }

    /// Disables lines of the given levels: raw values of ``PNLogLevel``, combined.
    public func disableLogLevel(_ level: UInt) {
        change { $0.level &= ~level }
    }

    /// Writes a line if ``enabled`` is true and one of the line's levels is enabled.
    public func log(_ level: UInt, message: String) {
        let now = settings.withLockedValue { $0 }
        guard now.isEnabled, now.level & level != 0 else { return }
        if now.writesToConsole { console.log(level: PNLogLevel(rawValue: level).severity, "\(message)") }
        if now.writesToFile { files.append(message) }
        now.onLine?(message)
    }

    /// Waits until all lines have been written to the files.
    func flush() {
        files.flush()
    }

    /// Calls `body` with every line that the logger writes.
    func onLine(_ body: @escaping @Sendable (String) -> Void) {
        settings.withLockedValue { $0.onLine = body }
    }

    /// Writes a line if its level is enabled. The text is evaluated only in this case.
    func log(_ level: PNLogLevel, _ message: @autoclosure () -> String) {
        let isWanted = settings.withLockedValue { $0.isEnabled && $0.level & level.rawValue != 0 }
        if isWanted { log(level.rawValue, message: message()) }
    }

    private func change(_ body: (inout Settings) -> Void) {
        let handler = settings.withLockedValue { settings in
            let before = settings.level
            body(&settings)
            return settings.level == before ? nil : settings.handler
        }
        handler?(())
    }

    private static func defaultDirectory(_ identifier: String) -> String {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        let base = caches ?? FileManager.default.temporaryDirectory
        return base.appendingPathComponent(identifier, isDirectory: true).path
    }
}

extension PNLogLevel {
    /// The level of swift-log for log lines of these kinds.
    fileprivate var severity: Logger.Level {
        if contains(.PNFailureStatusLogLevel) || contains(.PNAESErrorLogLevel) { return .warning }
        if contains(.PNInfoLogLevel) { return .info }
        return .debug
    }
}
