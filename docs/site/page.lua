-- SPDX-License-Identifier: Apache-2.0
-- A filter of pandoc: makes links between the pages of the site of those between the sources, gives a manual page its
-- title and its lists, and names the page. The metadata "manual" is the folder of the manual pages.

local manual

local function exists(path)
    local file = io.open(path)
    if file then file:close() end
    return file ~= nil
end

-- Returns where the site has what a source links to, or nil if it does not have it.
local function page(target)
    local path, anchor = target:match("^([^#]*)(.*)$")
    local name = path:match("[^/]*$")
    if path == "" or path:match("^%a+:") or path:match("%.html$") then return target end
    if name == "README.md" then return "index.html" .. anchor end
    if name:match("%.md$") then return name:gsub("%.md$", ".html") .. anchor end
    if name:match("%.scd$") then return name:gsub("%.scd$", ".html") .. anchor end
    -- The page of the settings instead of the example file, which browsers would not show.
    if name == "orientd.conf" then return "orientd.conf.5.html" end
    if name == "agent.conf" then return "orient-agent.conf.5.html" end
    if name == "LICENSE" then return "LICENSE.txt" end
    if name:match("%.svg$") then return name end
end

-- Returns a link to the manual page that a text such as "(orientd.conf(5)," names, or nil.
local function reference(name, text, label)
    local section, rest = text:match("^%((%d)%)(.*)$")
    if not section or not exists(manual .. "/" .. name .. "." .. section) then return end
    label:insert(pandoc.Str("(" .. section .. ")"))
    return { pandoc.Link(label, name .. "." .. section .. ".html"), pandoc.Str(rest) }
end

-- Returns a link to the page of a document that a manual page names, or nil for other text.
local function document(text)
    local name = pandoc.utils.stringify(text):match("^([%l/]*)%.md$")
    name = name and name:gsub("^/usr/share/doc/orientd/", "")
    if name and not name:match("/") then return pandoc.Link({ text }, name .. ".html"), false end
end

-- Returns the mark of an item of a list in a manual page, "·" or a number, or nil if a block is no such item.
local function mark(block)
    if block.t ~= "BlockQuote" or block.content[1].t ~= "Para" then return end
    local text = pandoc.utils.stringify(block.content[1])
    return text == "·" and text or tonumber(text:match("^(%d+)%.$"))
end

-- Returns a list of items, each a list of blocks; without paragraphs if each item is a single one, as in Markdown.
local function list(items, first)
    if not items:find_if(function(item) return #item > 1 or item[1].t ~= "Para" end) then
        items = items:map(function(item) return { pandoc.Plain(item[1].content) } end)
    end
    return first == "·" and pandoc.BulletList(items) or pandoc.OrderedList(items, pandoc.ListAttributes(first))
end

-- In a manual page, scdoc moves the mark of an item to the left of its text, which pandoc reads as a quotation of two
-- paragraphs.
local lists = {
    Blocks = function(blocks)
        local made, index = pandoc.List(), 1
        while index <= #blocks do
            local first = mark(blocks[index])
            local items, expected = pandoc.List(), first
            while first and blocks[index] and mark(blocks[index]) == expected do
                local content = blocks[index].content
                content:remove(1)
                items:insert(content)
                index, expected = index + 1, first == "·" and first or expected + 1
            end
            made:insert(first and list(items, first) or blocks[index])
            if not first then index = index + 1 end
        end
        return made
    end,
}

local links = {
    traverse = "topdown",

    Link = function(link)
        local target = page(link.target)
        -- What is only in the source tree is not linked.
        if not target then return link.content, false end
        link.target = target
        return link, false
    end,

    -- Without a language, code is not coloured.
    CodeBlock = function(block)
        block.classes = {}
        return block
    end,

    -- On a small screen a picture is scaled: a link shows it alone, where it can be enlarged.
    Image = function(image)
        image.src = page(image.src)
        return pandoc.Link({ image }, image.src), false
    end,

    -- _desktops.md_, or with its folder, as manual pages have it.
    Emph = document,
    Strong = document,

    -- *orientd*(8), as manual pages have it.
    Inlines = function(inlines)
        for index = #inlines - 1, 1, -1 do
            local name, section = inlines[index], inlines[index + 1]
            if name.t == "Strong" and section.t == "Str" then
                local made = reference(pandoc.utils.stringify(name), section.text, pandoc.List { name })
                if made then inlines[index], inlines[index + 1] = made[1], made[2] end
            end
        end
        return inlines
    end,

    -- orientd(8), as other texts have it.
    Str = function(str)
        local before, name, rest = str.text:match("^(%(?)([%w.-]+)(%(%d%).*)$")
        local made = name and reference(name, rest, pandoc.List { pandoc.Str(name) })
        if made then return { pandoc.Str(before), made[1], made[2] } end
    end,
}

-- pandoc gives no identifiers to what is in a manual page. This gives them to headings, which it also makes smaller than
-- the title of the page, and to commands, options and settings, whose descriptions are indented.
local function identifiers()
    local used = { [""] = true, title = true }
    local function new(text)
        local name = text:gsub("%W+", "-"):gsub("^-", ""):gsub("-$", "")
        if used[name] then return end
        used[name] = true
        return name
    end
    return {
        traverse = "topdown",

        Blocks = function(blocks)
            for index, block in ipairs(blocks) do
                local next = blocks[index + 1]
                local first = block.t == "Para" and next and next.t == "BlockQuote" and block.content[1]
                if block.t == "Header" then
                    block.level = block.level + 1
                    block.identifier = new(pandoc.utils.stringify(block):lower()) or ""
                elseif first and first.t == "Strong" then
                    local name = new(pandoc.utils.stringify(first))
                    if name then block.content[1] = pandoc.Span({ first }, pandoc.Attr(name)) end
                end
            end
            return blocks
        end,
    }
end

-- OrientationService/update(_:to:), as DocC names a member of a type.
local members = {
    Code = function(code)
        local name = code.text:match("^%u[%w/]*/([^/]+)$")
        if name and not code.text:match("^Examples/") then return pandoc.Code(name) end
    end,
}

function Pandoc(document)
    local meta = document.meta
    manual = pandoc.utils.stringify(meta.manual)
    document = document:walk(links)
    if meta.reference then document = document:walk(members) end
    if meta.section then
        local title = pandoc.utils.stringify(meta.title) .. "(" .. pandoc.utils.stringify(meta.section) .. ")"
        document = document:walk(lists)
        document = document:walk(identifiers())
        document.blocks:insert(1, pandoc.Header(1, title, pandoc.Attr("title")))
    end
    meta.pagetitle = pandoc.utils.stringify(document.blocks[1])
    if meta.pagetitle ~= "orientd" then meta.pagetitle = meta.pagetitle .. " - orientd" end
    return pandoc.Pandoc(document.blocks, meta)
end
