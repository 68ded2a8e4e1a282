#!/usr/bin/env bash
# Builds the reference as a site: `harness/web/site.sh [--serve] [OUT]` (default: target/web, where `build.sh` puts the
# inspector and the suite) fills OUT/reference with the pages and their search, and OUT/doc with the crates'
# documentation. `--serve` serves OUT at http://localhost:8000 then. Needs Perl; installs mdBook into target/mdbook if
# there is none.
set -euo pipefail
cd "$(dirname "$0")/../.."
serve=
[ "${1:-}" != --serve ] || { serve=yes; shift; }
out="${1:-target/web}"
book=target/book

# The pages in the order of the table of contents.
shopt -s nullglob
pages=()
for folder in context3d agal context3d/atf agal/d3d9 agal/hs50; do
    pages+=("$folder/REFERENCE.md" "$folder"/REFERENCE-*.md)
done
pages+=(context3d/OPEN-QUESTIONS.md context3d/PLUGIN.md harness/capture/FORMAT.md)

PATH="$PWD/target/mdbook/bin:$PATH"
command -v mdbook >/dev/null ||
    cargo install mdbook --version 0.5.4 --locked --no-default-features --features search --root target/mdbook

rm -rf "$book"
mkdir -p "$book/src"
cp harness/web/site/book.toml harness/web/site/facts.css "$book"
cp harness/web/site/index.md "$book/src"
{
    echo '[The reference](index.md)'
    for page in "${pages[@]}"; do
        mkdir -p "$book/src/$(dirname "$page")"
        echo "- [$(sed -n 's/^# Format$/# The format of captures/; s/^# //p' "$page" | head -n 1)]($page)"
    done
} >"$book/src/SUMMARY.md"
# Pictures beside the pages.
for folder in agal agal/d3d9 agal/hs50 context3d context3d/atf; do
    [ ! -d "$folder/images" ] || cp -r "$folder/images" "$book/src/$folder/"
done

# Each fact becomes a heading, which the search lists, and each citation a link. Links to what isn't in the book become text.
perl - "$book/src" "${pages[@]}" <<'PERL'
use strict;
my ($book, @pages) = @ARGV;
my (%text, %page_of);
for my $page (@pages) {
    open my $in, '<', $page or die "$page: $!";
    local $/;
    $text{$page} = <$in>;
    $page_of{$1} = $page while $text{$page} =~ /^- \*\*([a-z0-9_.]+)\*\* `/mg;
}
for my $page (@pages) {
    my $up = '../' x ($page =~ tr{/}{});
    my ($code, $fact, $result) = (0, 0, '');
    for my $line (split /^/, $text{$page}) {
        $code = !$code if $line =~ /^```/;
        if (!$code) {
            if ($line =~ s/^- \*\*([a-z0-9_.]+)\*\* `(\w+)` ?//) {
                my ($id, $grade) = ($1, $2);
                (my $words = $id) =~ s/^\w+\.//;
                $words =~ tr/._/  /;
                $line = "\n#### $id <span class=\"words\">$words</span> {#$id}\n\n<span class=\"grade $grade\">$grade</span> $line";
                $fact = 1;
            } elsif ($fact && $line =~ /^  /) {
                $line =~ s/^  //;
            } else {
                $fact = 0;
            }
            $line =~ s/(^|[.?!)`"…] )(Source|Untested|Asked|We do|Seen|Program): */$1\n\n**$2:** /g if $fact;
            $line =~ s/\[([a-z0-9_]+(?:\.[a-z0-9_]+)+)\](?!\()/$page_of{$1} ? "[$1]($up$page_of{$1}#$1)" : "[$1]"/ge;
            $line =~ s/(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)#]*)(#[^)]*)?\)/target($page, $2) ? $& : $1/ge;
        }
        $result .= $line;
    }
    open my $to, '>', "$book/$page" or die "$book/$page: $!";
    print $to $result;
}
# Returns whether a link leads to a page of the book.
sub target {
    my ($page, $link) = @_;
    my @path = split m{/}, $page;
    pop @path;
    for (split m{/}, $link) { $_ eq '..' ? pop @path : push @path, $_ }
    return exists $text{join '/', @path};
}
PERL

mkdir -p "$out"
mdbook build "$book" --dest-dir "$PWD/$book/html"
rm -rf "$out/reference" "$out/doc"
mv "$book/html" "$out/reference"
cargo doc --locked --no-deps --lib -p agal -p d3d9 -p hs50 -p context3d -p context3d-layers -p atf \
    -p backend-gl --features backend-gl/offscreen -p molehill-capture
cp -r "${CARGO_TARGET_DIR:-target}/doc" "$out/doc"
# The page of the inspector and the suite, if they are built.
if [ -f "$out/index.html" ]; then
    grep -q 'href="reference/' "$out/index.html" ||
        sed -i.old 's|^<ul>$|<ul>\n  <li><a href="reference/index.html">The open reference of Stage3D</a>, and the <a href="doc/agal/index.html">documentation</a></li>|' "$out/index.html"
    rm -f "$out/index.html.old"
fi
echo "built $out/reference/index.html"
[ -z "$serve" ] || exec python3 -m http.server --directory "$out" --bind localhost 8000
