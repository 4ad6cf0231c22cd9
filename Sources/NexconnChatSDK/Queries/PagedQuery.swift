import Foundation
import NIOConcurrencyHelpers

/// One page of a list that is loaded page by page.
public final class PageData<Element: Sendable>: NSObject, Sendable {
    /// The elements; empty at the end of the list.
    public let data: [Element]
    /// Whether elements may be missing because the server could not be reached. An addition to the vendor's SDK.
    public let mayMissElements: Bool

    init(_ data: [Element], mayMissElements: Bool = false) {
        self.data = data
        self.mayMissElements = mayMissElements
        super.init()
    }
}

/// A list that is loaded page by page. May be used from any thread, but only one page can be loaded at a time.
///
/// `@unchecked Sendable`: the mutable state is protected by `state`, a `NIOLockedValueBox`.
public final class PagedQuery<Element: Sendable>: NSObject, @unchecked Sendable {
    private struct State {
        var isLoading = false
        var isAtEnd = false
    }

    private let state = NIOLockedValueBox(State())
    private let engine: ChatEngine
    private let load: @Sendable (@escaping Completion<PageData<Element>>) -> Void

    /// Creates a list whose pages are loaded by `load`.
    ///
    /// - Parameter load: loads the page after a cursor, which is nil for the first page. It returns the page and the next cursor, which is
    ///   nil at the end of the list.
    init<Cursor: Sendable>(
        _ engine: ChatEngine,
        load: @escaping @Sendable (Cursor?, @escaping Completion<(page: PageData<Element>, next: Cursor?)>) -> Void
    ) {
        self.engine = engine
        let state = state
        let cursor = NIOLockedValueBox<Cursor?>(nil)
        self.load = { completion in
            load(cursor.withLockedValue { $0 }) { result in
                if case .success(let (page, next)) = result {
                    cursor.withLockedValue { $0 = next }
                    if next == nil || page.data.isEmpty { state.withLockedValue { $0.isAtEnd = true } }
                }
                state.withLockedValue { $0.isLoading = false }
                completion(result.map(\.page))
            }
        }
        super.init()
    }

    /// Creates a list that `loadAll` loads as a whole and that is split into pages here.
    convenience init(
        _ engine: ChatEngine, cutting size: Int, loadAll: @escaping @Sendable (@escaping Completion<[Element]>) -> Void
    ) {
        self.init(engine) { (rest: [Element]?, completion) in
            let cut: Completion<[Element]> = { result in
                completion(
                    result.map { all in
                        (PageData(Array(all.prefix(size))), all.count > size ? Array(all.dropFirst(size)) : nil)
                    })
            }
            if let rest { cut(.success(rest)) } else { loadAll(cut) }
        }
    }

    /// Creates a list that cannot be loaded: loading any page fails with `error`.
    convenience init(_ engine: ChatEngine, refused error: NCError) {
        self.init(engine) { (_: Never?, completion) in completion(.failure(error)) }
    }

    /// Whether a page is being loaded.
    public var isLoading: Bool { state.withLockedValue { $0.isLoading } }
    /// Whether the last page has been loaded. Further pages are empty.
    public var isAtEnd: Bool { state.withLockedValue { $0.isAtEnd } }

    /// Loads the next page. An empty page is the end of the list. After an error the same page can be loaded again.
    ///
    /// - Parameter completion: called once, on the callback queue: with 33103 when a page is being loaded already (rule NH-30).
    public func loadNextPage(completion: ((_ page: PageData<Element>?, _ error: NCError?) -> Void)?) {
        start(engine.answering(completion))
    }

    /// Loads the next page. An empty page is the end of the list. After an error the same page can be loaded again.
    ///
    /// - Throws: 33103 when a page is being loaded already; otherwise the reason why the page could not be loaded.
    public func nextPage() async throws(NCError) -> PageData<Element> {
        try await awaiting { start($0) }
    }

    private func start(_ completion: @escaping Completion<PageData<Element>>) {
        let (isFree, isAtEnd) = state.withLockedValue { state in
            defer { if !state.isAtEnd { state.isLoading = true } }
            return (!state.isLoading, state.isAtEnd)
        }
        if isAtEnd {
            completion(.success(PageData([])))
        } else if isFree {
            load(completion)
        } else {
            completion(.failure(NCError(.queryRunning, reason: "This query is already loading a page.")))
        }
    }
}
